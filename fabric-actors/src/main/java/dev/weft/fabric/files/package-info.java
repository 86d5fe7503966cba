/**
 * Directories, files and sockets that only one user can access, even below a directory that others can write. The fabric keeps its memory in them.
 * Begin with {@link dev.weft.fabric.files.PrivateDirectory}.
 */
package dev.weft.fabric.files;
