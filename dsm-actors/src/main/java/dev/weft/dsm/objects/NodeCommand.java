package dev.weft.dsm.objects;

import akka.actor.typed.ActorRef;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.net.Peer;
import dev.weft.dsm.report.DsmReport;
import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionRequest;

/** The messages of a node's actor. */
public sealed interface NodeCommand permits Wait, NodeCommand.Inspect, NodeCommand.Report, NodeCommand.Stop, NodeCommand.Notice, NodeCommand.Requested,
    NodeCommand.Connected, NodeCommand.NodeLost, NodeCommand.Prefetch, NodeCommand.Signal, NodeCommand.Cancel, NodeCommand.AskAgain, NodeCommand.TellLost,
    NodeCommand.GroupJoined {
  /** Asks for the node's state. */
  record Inspect(ActorRef<DsmSnapshot> replyTo) implements NodeCommand {}

  /**
   * Asks for the node's state in detail.
   *
   * @param max maximum entries of each list
   * @param withCounters also what takes longer: minipages by state, and which node takes minipages from which
   */
  record Report(ActorRef<DsmReport> replyTo, int max, boolean withCounters) implements NodeCommand {}

  /** Ends the actor. */
  enum Stop implements NodeCommand {
    INSTANCE
  }

  /** Tells the actor to look at something. */
  enum Notice implements NodeCommand {
    /** The completion queue. */
    COMPLETIONS,
    /** The completion queue of the multicast group. */
    DATAGRAMS,
    /** Orders of homes that waited for threads inside: it is time to retry. */
    RETRY,
    /** As {@link #RETRY}, because a thread has left. */
    LEFT
  }

  /**
   * Requests readable copies of minipages of an array.
   *
   * @param forAll copies for all nodes instead of only this one
   */
  record Prefetch(PageTable table, int index, int count, boolean forAll, Hints hints) implements NodeCommand {
    public Prefetch slice() {
      return new Prefetch(table, index, Math.min(count, Hints.SLICE), forAll, hints);
    }

    public Prefetch rest() {
      return new Prefetch(table, index + Hints.SLICE, count - Hints.SLICE, forAll, hints);
    }
  }

  /** Signals a condition. */
  record Signal(int object, boolean all) implements NodeCommand {}

  /** Cancels a wait. */
  record Cancel(Wait waiting) implements NodeCommand {}

  /** Result of joining the multicast group; {@code refusal} is null if it was joined. */
  record GroupJoined(int lid, String refusal) implements NodeCommand {}

  /** Another node wants to connect. */
  record Requested(ConnectionRequest request) implements NodeCommand {}

  /** Something has happened to a connection. */
  record Connected(ConnectionEvent event) implements NodeCommand {}

  /** The fabric has lost a node. */
  record NodeLost(String node) implements NodeCommand {}

  /** It is time to ask a node again that was not ready. */
  record AskAgain(int id, String name) implements NodeCommand {}

  /** It is time to tell a node again that it counts as lost. */
  record TellLost(Peer lost) implements NodeCommand {}
}
