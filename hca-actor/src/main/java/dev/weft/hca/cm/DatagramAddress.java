package dev.weft.hca.cm;

/**
 * Where a datagram service is: what {@link dev.weft.hca.verbs.Hca#createAh} and {@link dev.weft.hca.verbs.WorkRequest#to} ask for.
 *
 * @param lid LID of its node
 * @param qpNum number of its queue pair
 * @param qkey key of that queue pair
 */
public record DatagramAddress(int lid, int qpNum, int qkey) {}
