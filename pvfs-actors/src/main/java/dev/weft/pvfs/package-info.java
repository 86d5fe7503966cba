/**
 * A parallel file system whose files are striped over the memory and the disks of many nodes (seed 002). One manager has the name space and never sees
 * file data; I/O daemons have the stripes; clients compute from a file's {@link dev.weft.pvfs.layout.Striping} which daemon has which bytes, and talk to
 * the daemons directly.
 */
package dev.weft.pvfs;
