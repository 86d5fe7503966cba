package dev.weft.fabric.cluster;

import java.nio.file.Path;
import java.util.Map;

/**
 * The state of a JVM's media driver, for inspection.
 *
 * @param directory directory of its files
 * @param isOwned whether this JVM has started it
 * @param isAlive whether its process runs and its heartbeat is fresh
 * @param counters its own counters by their labels: bytes sent and received, errors, NAKs and so on
 */
public record MediaDriverSnapshot(Path directory, long pid, boolean isOwned, boolean isAlive, Map<String, Long> counters) {}
