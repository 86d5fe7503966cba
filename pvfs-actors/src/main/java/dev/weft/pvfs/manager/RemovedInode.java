package dev.weft.pvfs.manager;

/** An inode without a name, and the target if it is a symbolic link, otherwise null. */
record RemovedInode(Inode inode, byte[] target) {}
