/**
 * A file service in the manner of seed 003 section 6.2: requests and replies are remote procedure calls, file data is written straight into
 * the memory that the other side has set aside for it. A directory of the server is exported; clients have no state there but their session,
 * which ends when it is not used for a lease.
 *
 * <p>{@link dev.weft.tripwire.file.FileServer} and {@link dev.weft.tripwire.file.FileClient} are the ends. {@link
 * dev.weft.tripwire.file.FileService} decides what a request does, {@link dev.weft.tripwire.file.ExportedRoot} touches files, {@link
 * dev.weft.tripwire.file.HandleTable} knows whose handle is whose. Real time: files live there.
 *
 * <p>Invariants: all that crosses the network is writes; no request reaches a file outside of the exported directory, whatever names and
 * symbolic links it meets, because every component is opened relative to its directory and links are not followed; handles are bounded, and
 * one that is not known any more is STALE.
 */
package dev.weft.tripwire.file;
