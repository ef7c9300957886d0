/** Packs a file that comes piece by piece, by programs that keep their place between two pieces. */

export {
  canContinue,
  maxPieceBytes,
  type PackedPiece,
  type PackedXorb,
  type PieceCalls,
  type PieceState,
  packPiece,
  type WholeFile,
} from './pieces/pack-piece.ts'
