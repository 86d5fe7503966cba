/**
 * The manager of seed 002 section 3.1: the name space, permissions and stripe characteristics; never on the way of file data. What it answers is on its
 * store's disk before.
 */
package dev.weft.pvfs.manager;
