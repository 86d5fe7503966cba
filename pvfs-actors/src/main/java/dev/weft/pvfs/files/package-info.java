/**
 * The native interface: files and directories for Java programs. It joins the manager's names and the daemons' data. Begin with
 * {@link dev.weft.pvfs.files.PvfsFileSystem} and {@link dev.weft.pvfs.files.PvfsFile}.
 */
package dev.weft.pvfs.files;
