/**
 * The storage of the name space: ordered keys and values of bytes, changed by atomic batches that are on disk before a client is answered. Only
 * {@code dev.weft.pvfs.manager} knows the meaning of the keys. One manager at a time uses a store. Begin with
 * {@link dev.weft.pvfs.store.MetadataStore}.
 */
package dev.weft.pvfs.store;
