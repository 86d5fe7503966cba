package dev.weft.hca.netvm;

/**
 * The system buffer of an HCA at one moment, for inspection.
 *
 * @param accountPackets packets of one queue pair that fit
 * @param accounts queue pairs that have credit
 * @param used packets that wait, and {@code usedMax} the most that ever did
 * @param redirectedPackets packets so far that had to wait, and their bytes
 * @param refused packets that came without credit and were not taken; the sender repeats them
 * @param discarded parts of packets whose page was unmapped meanwhile
 * @param waitingPages pages that have data waiting
 */
public record RedirectSnapshot(int slotBytes, int accountPackets, int accounts, int used, int usedMax, long redirectedPackets,
    long redirectedBytes, long refused, long discarded, int waitingPages) {}
