package dev.weft.pvfs.manager;

/**
 * A directory entry for readdir.
 *
 * @param name not to be modified
 * @param cookie place in the directory: readdir continues behind it, whatever is added or removed meanwhile
 * @param attributes null unless requested
 */
public record DirEntry(byte[] name, long inode, FileType type, long cookie, Inode attributes) {}
