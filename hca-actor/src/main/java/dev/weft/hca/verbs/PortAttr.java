package dev.weft.hca.verbs;

/**
 * A port, as {@code ibv_port_attr}.
 *
 * @param active whether the link is up and a LID assigned
 * @param lid local identifier, 0 before one is assigned
 * @param maxMtuBytes largest packet that the settings allow
 * @param activeMtuBytes largest packet that the links carry
 * @param maxMessageBytes largest message
 * @param gidTableLength places in the GID table
 * @param pkeyTableLength places in the P_Key table
 */
public record PortAttr(boolean active, int lid, int maxMtuBytes, int activeMtuBytes, long maxMessageBytes, int gidTableLength,
    int pkeyTableLength) {}
