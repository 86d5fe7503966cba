/**
 * The client of the manager: one connection, as many requests as the manager gives credits for, and their repetition after a lost connection. Begin
 * with {@link dev.weft.pvfs.meta.MetaClient}.
 */
package dev.weft.pvfs.meta;
