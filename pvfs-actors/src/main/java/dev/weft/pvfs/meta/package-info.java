/** The library side of what the manager is asked: one connection, as many requests as it gives credits for, repeated when the connection was lost. */
package dev.weft.pvfs.meta;
