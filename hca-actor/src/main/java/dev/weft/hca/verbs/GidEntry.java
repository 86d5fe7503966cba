package dev.weft.hca.verbs;

/**
 * One entry of the GID table, as {@code ibv_gid_entry}; all are of RoCEv2.
 *
 * @param gid the identifier
 * @param index place in the table of the port
 * @param port port number
 */
public record GidEntry(Gid gid, int index, int port) {}
