/**
 * A parallel file system whose files are striped over the memory and disks of many nodes, after the paper PVFS over InfiniBand. One manager keeps the
 * name space and never sees file data; I/O daemons store the stripes. Clients compute from a file's {@link dev.weft.pvfs.layout.Striping} which
 * daemon has which bytes, and talk to the daemons directly. Begin reading with {@code dev.weft.pvfs.files}.
 */
package dev.weft.pvfs;
