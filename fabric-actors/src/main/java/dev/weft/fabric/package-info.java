/**
 * The fabric, one package for each part: packets, links, switches, trunks, subnet manager, nodes, clocks and dispatchers. This package has what
 * they share. Begin with {@link dev.weft.fabric.packet.Packet} and {@link dev.weft.fabric.switching.SwitchActor}.
 */
package dev.weft.fabric;
