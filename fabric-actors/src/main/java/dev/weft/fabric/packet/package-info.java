/**
 * InfiniBand transport packets: BTH, DETH, RETH, AETH, ImmDt, AtomicETH and AtomicAckETH as one immutable record, and their
 * wire form with an ICRC. Begin with {@link dev.weft.fabric.packet.Packet} and {@link dev.weft.fabric.packet.PacketCodec}.
 * Source: InfiniBand Architecture Specification volume 1, chapters 5, 7.8 and 9; Kernel DSM paper,
 * section 2. The package also has the control messages of cables, {@link dev.weft.fabric.packet.CableMessage}.
 * Invariant: decoding the bytes that the codec encoded gives an equal packet.
 */
package dev.weft.fabric.packet;
