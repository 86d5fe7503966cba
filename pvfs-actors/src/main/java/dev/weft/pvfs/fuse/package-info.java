/**
 * The POSIX mount: the protocol of {@code /dev/fuse}, as {@code linux/fuse.h} of Linux 5.4 and later defines it (7.31 to 7.45), spoken from Java. It
 * knows nothing of the parallel file system: that is a {@link dev.weft.pvfs.fuse.FuseFileSystem}, whose methods answer through a
 * {@link dev.weft.pvfs.fuse.FuseReply}, at once or later, on any thread.
 *
 * <p>The way of a request: a {@code Worker} reads it from its descriptor of the device into a buffer, {@code Dispatcher} decodes it with checked bounds and
 * calls the file system, and an {@code Exchange} takes the answer and writes it to the descriptor that the request came from. Invariants: each request is
 * answered once, whatever the file system does, at the latest when the mount is closed; requests in flight, buffers and waiting locks are bounded; no
 * number of a descriptor is used after it was closed.
 *
 * <p>The JVM that serves a mount never touches the mount itself, by no path below it: the kernel would wait for this JVM, and a page fault of a mapping would
 * stop its safepoints.
 */
package dev.weft.pvfs.fuse;
