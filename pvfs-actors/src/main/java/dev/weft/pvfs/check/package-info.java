/** The check of a whole running file system: the manager's metadata, and the objects of its daemons. Begin with {@code FileSystemCheck}. */
package dev.weft.pvfs.check;
