/** The nodes of the fabric by name, with their LIDs, connection managers and adverts. Begin with {@link dev.weft.fabric.node.Directory}. */
package dev.weft.fabric.node;
