package dev.weft.fabric.subnet;

import java.util.List;

/**
 * One multicast group of the fabric.
 *
 * @param lid its multicast LID
 * @param receivers numbers of the JVMs with nodes that receive, ascending
 */
public record GroupEntry(String name, int lid, List<Integer> receivers) {}
