/** Behind a pattern: git-lfs keeps the content of such files. */
export const largeFileAttributes = 'filter=lfs diff=lfs merge=lfs -text'

/** Formats whose files are large or binary as a rule, by what they are for. */
const endings = [
  // Weights of models.
  ...[
    'bin',
    'ckpt',
    'gguf',
    'ggml',
    'h5',
    'keras',
    'mlmodel',
    'msgpack',
    'npy',
    'npz',
    'onnx',
    'ot',
  ],
  ...['pb', 'pickle', 'pkl', 'pt', 'pth', 'safetensors', 'tflite', 'joblib', 'model'],
  // Tables and records.
  ...['arrow', 'avro', 'duckdb', 'feather', 'ftz', 'orc', 'parquet', 'sqlite', 'tfrecord', 'wasm'],
  // Archives.
  ...['7z', 'bz2', 'gz', 'lz4', 'rar', 'tar', 'tgz', 'xz', 'zip', 'zst'],
  // Sound, pictures and film.
  ...['aac', 'flac', 'm4a', 'mp3', 'ogg', 'opus', 'pcm', 'wav'],
  ...['bmp', 'gif', 'ico', 'jpeg', 'jpg', 'pdf', 'png', 'tif', 'tiff', 'webp'],
  ...['avi', 'mkv', 'mov', 'mp4', 'webm'],
]

const patterns = [
  ...endings.map((ending) => `*.${ending}`),
  // Logs of training runs, and folders of saved models.
  '*tfevents*',
  'saved_model/**/*',
]

export const firstAttributes = patterns
  .map((pattern) => `${pattern} ${largeFileAttributes}\n`)
  .join('')
