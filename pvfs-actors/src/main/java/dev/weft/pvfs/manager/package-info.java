/**
 * The manager: it has the name space, who may do what, and how files are striped, and never sees file data (seed 002 section 3.1).
 * {@link dev.weft.pvfs.manager.NameSpace} decides; it knows no actor and no clock. What an operation changes, effects on the I/O daemons included, is one
 * part of one atomic batch; nothing is answered before that is on disk.
 */
package dev.weft.pvfs.manager;
