// Package verify checks storage requests as Latchkey's gate does: does the storage token allow this method on this path,
// repository and ref, now? It is for storages written in Go that run without a gateway in front of them.
//
// Make a Gate with New, and put Gate.Guard in front of your handler. AdmittedBy gives your handler the verified grant. Your
// storage must still decide which content a grant shows: see RowFor and Visible.
package verify
