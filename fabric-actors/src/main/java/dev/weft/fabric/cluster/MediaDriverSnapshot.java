package dev.weft.fabric.cluster;

import java.nio.file.Path;
import java.util.Map;

/**
 * The media driver of a JVM at one moment, for inspection.
 *
 * @param directory where its files are
 * @param isOwned whether this JVM has started it
 * @param isAlive whether its process runs and answers
 * @param counters its own, by their labels: bytes sent and received, errors, NAKs and so on
 */
public record MediaDriverSnapshot(Path directory, long pid, boolean isOwned, boolean isAlive, Map<String, Long> counters) {}
