package dev.weft.tripwire.mpi;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * How the ranks of a job find each other, by out-of-band messages: each sends each the descriptor of its inbox, 32 bytes, and its identity, 8 bytes.
 * A rank that is not there yet refuses the message, which is then repeated.
 */
final class Meeting {
  private static final int HELLO = 1;
  private static final int ABORT = 2;
  private static final long NEVER = Long.MAX_VALUE;
  private static final long LOOK_NS = 200_000;
  private static final long RETRY_NS = 2_000_000;

  private final Nic nic;
  private final Endpoint endpoint;
  private final int rank;
  private final Peer[] peers;
  private final byte[] hello;
  private final MpiSettings settings;
  /** When the message to each rank is due again. */
  private final long[] dueNs;
  private boolean someDue;
  private String aborted;

  Meeting(Nic nic, Endpoint endpoint, int rank, Peer[] peers, Descriptor inbox, MpiSettings settings) {
    this.nic = nic;
    this.endpoint = endpoint;
    this.rank = rank;
    this.peers = peers;
    this.settings = settings;
    dueNs = new long[peers.length];
    hello = message(HELLO, inbox.toBytes());
  }

  private byte[] message(int kind, byte[] descriptor) {
    return ByteBuffer.allocate(Endpoint.MESSAGE_LENGTH).putInt(kind).putInt(rank).put(descriptor).array();
  }

  private long nowNs() {
    return nic.node().context().clock().nowNs();
  }

  /** Waits for the messages of all ranks. */
  void meet(List<String> nodes, Waiting waiting) {
    if (nodes.size() != peers.length) {
      throw new MpiException(ErrorClass.RANK, nodes.size() + " nodes for " + peers.length + " ranks");
    }
    long endNs = nowNs() + settings.startTimeoutNs();
    someDue = true;
    while (true) {
      for (Peer peer : peers) {
        if (peer.rank != rank && peer.lid == 0) {
          peer.lid = waiting.reach(nic, nodes.get(peer.rank));
        }
      }
      poll();
      Peer missing = missing();
      if (missing == null && !someDue) {
        return;
      }
      if (aborted != null || nowNs() > endNs) {
        String who = missing == null ? "the others" : "rank " + missing.rank + " (" + nodes.get(missing.rank) + ")";
        throw new MpiException(ErrorClass.PROC_FAILED, aborted != null ? "the job was ended: " + aborted
            : who + " did not come within " + settings.startTimeoutNs() / 1_000_000 + " ms (weft.tripwire.mpi.start-timeout)"
                + (missing == null ? "" : missing.lid == 0 ? ", its node is not in the fabric" : ", its node is in the fabric and has not answered"));
      }
      waiting.pause(LOOK_NS);
    }
  }

  private Peer missing() {
    for (Peer peer : peers) {
      if (peer.rank != rank && peer.remote == null) {
        return peer;
      }
    }
    return null;
  }

  /** Takes messages, and repeats due ones. */
  void poll() {
    for (Endpoint.Message message = endpoint.poll(); message != null; message = endpoint.poll()) {
      onMessage(message);
    }
    if (someDue) {
      tellDue(nowNs());
    }
  }

  private void tellDue(long nowNs) {
    someDue = false;
    for (Peer peer : peers) {
      if (peer.rank != rank && dueNs[peer.rank] != NEVER) {
        if (peer.lid != 0 && dueNs[peer.rank] <= nowNs && endpoint.send(peer.lid, settings.port(), hello)) {
          dueNs[peer.rank] = NEVER;
        } else {
          someDue = true;
        }
      }
    }
  }

  private void onMessage(Endpoint.Message message) {
    ByteBuffer bytes = ByteBuffer.wrap(message.bytes());
    if (bytes.remaining() < Endpoint.MESSAGE_LENGTH) {
      for (Peer peer : peers) {
        if (peer.lid == message.fromLid() && aborted == null) {
          dueNs[peer.rank] = nowNs() + RETRY_NS;
          someDue = true;
        }
      }
      return;
    }
    int kind = bytes.getInt();
    int from = bytes.getInt();
    if (from < 0 || from >= peers.length || from == rank) {
      return; // The message is from another job, whose ranks are at other nodes.
    }
    if (kind == ABORT) {
      aborted = "rank " + from + " has given up";
    } else if (kind == HELLO && peers[from].remote == null) {
      peers[from].lid = message.fromLid();
      peers[from].remote = nic.map(Descriptor.fromBytes(message.bytes(), bytes.position()));
    }
  }

  /** Why another rank ended the job; null if none did. */
  String aborted() {
    return aborted;
  }

  /** Notifies all reachable ranks that this rank gives up. */
  void tellAborted() {
    byte[] bye = message(ABORT, new byte[0]);
    for (Peer peer : peers) {
      dueNs[peer.rank] = NEVER;
      if (peer.rank != rank && peer.lid != 0) {
        endpoint.send(peer.lid, settings.port(), bye);
      }
    }
    someDue = false;
  }
}
