/**
 * A file service as in CLAN, section 6.2. Requests and replies are remote procedure calls; file data is written directly into memory that the other
 * side has set aside for it. A server exports a directory. The only state of a client there is its session, which ends if it is not used for a lease.
 *
 * <p>{@link dev.weft.tripwire.file.FileServer} and {@link dev.weft.tripwire.file.FileClient} are the ends. {@link dev.weft.tripwire.file.FileService}
 * carries out requests, {@link dev.weft.tripwire.file.ExportedRoot} accesses files, {@link dev.weft.tripwire.file.HandleTable} maps handles to files.
 * Only in real time, because it uses real files.
 *
 * <p>Invariants: all network traffic is writes. No request reaches a file outside of the exported directory, whatever names and symbolic links it
 * meets, because every component is opened relative to its directory and links are not followed. The number of handles is bounded; an unknown handle
 * is STALE.
 */
package dev.weft.tripwire.file;
