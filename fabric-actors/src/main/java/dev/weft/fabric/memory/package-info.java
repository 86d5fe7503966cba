/**
 * Lets JVMs on one host read each other's memory with one copy, and wraps the Linux calls that this needs. Begin with {@link
 * dev.weft.fabric.memory.SharedMemory}, which peers can map, and {@link dev.weft.fabric.memory.PeerMemory}, which maps or reads a peer's memory.
 */
package dev.weft.fabric.memory;
