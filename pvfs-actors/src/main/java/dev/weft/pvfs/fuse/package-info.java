/**
 * The FUSE engine of the POSIX mount, in Java: the protocol of {@code /dev/fuse}, as in {@code linux/fuse.h} of Linux 5.4 and later (7.31 to 7.45).
 * It knows nothing of the parallel file system, which is a {@link dev.weft.pvfs.fuse.FuseFileSystem}. Its methods answer through a
 * {@link dev.weft.pvfs.fuse.FuseReply}, at once or later, on any thread. Begin with {@code FuseMount}.
 *
 * <p>The path of a request: a {@code Worker} reads it from its descriptor of the device into a buffer. {@code Dispatcher} decodes it with checked
 * bounds and calls the file system. An {@code Exchange} takes the answer and writes it to the descriptor of the request. Invariants: each request is
 * answered once, whatever the file system does, at the latest when the mount is closed. Requests in flight, buffers and waiting locks are bounded. No
 * descriptor number is used after its close.
 *
 * <p>The JVM that serves a mount never uses any path below it: the kernel would wait for this JVM, and a page fault in a mapping would stop its
 * safepoints.
 */
package dev.weft.pvfs.fuse;
