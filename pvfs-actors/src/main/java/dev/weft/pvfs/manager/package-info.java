/**
 * The manager: it keeps names, permissions and layouts, and never sees file data (PVFS over InfiniBand, section 3.1).
 * {@link dev.weft.pvfs.manager.NameSpace} makes the decisions and knows no actors and no clock; begin there, then read {@code ManagerActor}. All that
 * an operation changes, including its work for the I/O daemons, is part of one atomic batch; the manager answers only when that is on disk.
 */
package dev.weft.pvfs.manager;
