package dev.weft.hca.verbs;

/**
 * The attributes of a port, as {@code ibv_port_attr}.
 *
 * @param active whether the link is up and a LID assigned
 * @param lid local identifier, 0 before one is assigned
 * @param maxMtuBytes largest MTU that the settings allow
 * @param activeMtuBytes MTU of the links
 * @param maxMessageBytes largest message
 * @param gidTableLength length of the GID table
 * @param pkeyTableLength length of the P_Key table
 */
public record PortAttr(boolean active, int lid, int maxMtuBytes, int activeMtuBytes, long maxMessageBytes, int gidTableLength,
    int pkeyTableLength) {}
