package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.release.ReleaseCounts;
import dev.weft.dsm.report.DsmSnapshot;
import java.util.Locale;

/** The counters of a node as text for users. */
final class NodeLine {
  private NodeLine() {}

  static String of(DsmSnapshot node) {
    return String.format(Locale.ROOT, "  node %d: %d read faults, %d write faults, %d messages sent and %d received, %d work requests of its faults, its actor "
        + "run %d times, %.1f MB written, %.1f MB read; as a home: %d requests served, %.2f hops each; "
        + "%d homes moved on, %d requests sent on", node.number(), node.readFaults(), node.writeFaults(), node.messagesSent(),
        node.messagesReceived(), node.verbs(), node.activations(), node.bytesWritten() / 1e6, node.bytesRead() / 1e6,
        node.served(), node.served() == 0 ? 0.0 : node.hops() / (double) node.served(),
        node.homeMoves(), node.sentOn()) + ofRefused(node.messagesRefused()) + ofGroup(node.release());
  }

  private static String ofRefused(long messages) {
    return messages == 0 ? "" : ", " + messages + " messages refused, whose senders count as lost";
  }

  /** Empty if no changes went to a multicast group. */
  private static String ofGroup(ReleaseCounts release) {
    return release == null || release.datagramsSent() + release.datagramsPlaced() == 0 ? ""
        : String.format(Locale.ROOT, ", %d of %d batches of changes to the group in %d datagrams, %d datagrams of others, %d batches repaired",
            release.multicasts(), release.batches(), release.datagramsSent(), release.datagramsPlaced(), release.repairs());
  }
}
