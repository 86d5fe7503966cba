/**
 * Where the manager keeps the name space: ordered keys and values of bytes, changed by atomic batches that are on disk before anybody is told. What the
 * keys mean is known in {@code dev.weft.pvfs.manager} alone. One manager at a time has a store.
 */
package dev.weft.pvfs.store;
