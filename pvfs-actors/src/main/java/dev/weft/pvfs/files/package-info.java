/** The native interface: files and directories for programs in Java, made of the manager's names and the daemons' data. */
package dev.weft.pvfs.files;
