/** The check of a whole file system that runs: the manager's metadata, and what its daemons have beside that. */
package dev.weft.pvfs.check;
