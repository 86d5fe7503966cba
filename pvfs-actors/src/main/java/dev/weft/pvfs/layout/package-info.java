/**
 * The layout of files: which daemon has which bytes (PVFS over InfiniBand, section 3.1). Arithmetic without state, the same in clients, daemons and
 * the manager. Begin with {@link dev.weft.pvfs.layout.Striping}.
 */
package dev.weft.pvfs.layout;
