package dev.weft.hca.cm;

/**
 * The address of a datagram service, for {@link dev.weft.hca.verbs.Hca#createAh} and {@link dev.weft.hca.verbs.WorkRequest#to}.
 *
 * @param lid LID of its node
 * @param qpNum number of its queue pair
 * @param qkey queue key of that queue pair
 */
public record DatagramAddress(int lid, int qpNum, int qkey) {}
