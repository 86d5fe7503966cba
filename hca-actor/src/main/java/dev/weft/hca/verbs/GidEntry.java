package dev.weft.hca.verbs;

/**
 * One entry of the GID table, as {@code ibv_gid_entry}; all entries are RoCEv2.
 *
 * @param gid the identifier
 * @param index index in the table of the port
 * @param port port number
 */
public record GidEntry(Gid gid, int index, int port) {}
