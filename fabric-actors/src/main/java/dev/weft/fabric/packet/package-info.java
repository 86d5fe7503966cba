/**
 * InfiniBand transport packets: BTH, DETH, RETH, AETH, ImmDt, AtomicETH and AtomicAckETH as one immutable record, and their
 * wire form with an ICRC. Source: InfiniBand Architecture Specification volume 1, chapters 5, 7.8 and 9; seed 000
 * section 2. Also what travels on cables beside them, {@link dev.weft.fabric.packet.CableMessage}. Knows of no cable.
 * Invariant: decoding what the codec encoded gives an equal packet.
 */
package dev.weft.fabric.packet;
