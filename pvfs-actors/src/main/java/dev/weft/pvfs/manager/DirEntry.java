package dev.weft.pvfs.manager;

/**
 * One entry as readdir shows it.
 *
 * @param name nobody changes the array
 * @param cookie place in the directory: readdir goes on behind it, whatever is added or removed meanwhile
 * @param attributes null unless they were asked for
 */
public record DirEntry(byte[] name, long inode, FileType type, long cookie, Inode attributes) {}
