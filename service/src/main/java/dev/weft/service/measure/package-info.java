/**
 * Records latencies and prints the results of the measuring commands, as columns like perftest's or as JSON. Begin with {@link
 * dev.weft.service.measure.LatencyRecorder}.
 */
package dev.weft.service.measure;
