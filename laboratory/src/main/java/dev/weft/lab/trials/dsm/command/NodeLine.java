package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.release.ReleaseCounts;
import dev.weft.dsm.report.DsmSnapshot;
import java.util.Locale;

/** The counters of a node as text for users, in lines of at most 80 columns unless a counter is very large. */
final class NodeLine {
  private NodeLine() {}

  static String of(DsmSnapshot node) {
    return String.format(Locale.ROOT, "  node %d: %d read faults, %d write faults, %d work requests of its faults,%n"
        + "    %d messages sent and %d received, %.1f MB written, %.1f MB read,%n"
        + "    actor run %d times; as a home: %d requests served, %.2f hops each,%n    %d homes moved, %d requests forwarded",
        node.number(), node.readFaults(), node.writeFaults(), node.verbs(),
        node.messagesSent(), node.messagesReceived(), node.bytesWritten() / 1e6, node.bytesRead() / 1e6, node.activations(),
        node.served(), node.served() == 0 ? 0.0 : node.hops() / (double) node.served(),
        node.homeMoves(), node.sentOn()) + ofRefused(node.messagesRefused()) + ofGroup(node.release());
  }

  private static String ofRefused(long messages) {
    return messages == 0 ? "" : String.format("%n    %d messages rejected (their senders count as lost)", messages);
  }

  /** Empty if no changes went to a multicast group. */
  private static String ofGroup(ReleaseCounts release) {
    return release == null || release.datagramsSent() + release.datagramsPlaced() == 0 ? ""
        : String.format(Locale.ROOT, "%n    %d of %d batches of changes sent to the group in %d datagrams,%n    %d datagrams of others, %d batches repaired",
            release.multicasts(), release.batches(), release.datagramsSent(), release.datagramsPlaced(), release.repairs());
  }
}
