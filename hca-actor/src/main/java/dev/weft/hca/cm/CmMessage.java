package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.cluster.ControlMessage;
import dev.weft.hca.verbs.QpType;

/** The messages between connection managers (specification volume 1, chapter 12: REQ, REP, REJ, RTU, DREQ, SIDR). */
sealed interface CmMessage extends HardwareMessage, ControlMessage {
  /** The attributes of one side's queue pair. */
  record Endpoint(int lid, int qpNum, QpType type, int psn, int pathMtu, int rdAtomic) {}

  /** Requests a connection. {@code id} is the active side's; answers go to {@code from}. */
  record Req(long id, String node, ActorRef<HardwareMessage> from, String service, Endpoint endpoint, byte[] privateData)
      implements CmMessage {}

  /** Accepts the request. */
  record Rep(long id, long peerId, Endpoint endpoint, byte[] privateData) implements CmMessage {}

  /** Rejects the request. */
  record Rej(long id, RejectReason reason, byte[] privateData) implements CmMessage {}

  /** Reports that the active side is ready too. */
  record Rtu(long id, byte[] privateData) implements CmMessage {}

  /** Disconnects. */
  record Dreq(long id) implements CmMessage {}

  /** Asks for the address of a datagram service. {@code id} is the sender's; the answer goes to {@code from}. */
  record SidrReq(long id, ActorRef<HardwareMessage> from, String service) implements CmMessage {}

  /** Answers with the address. */
  record SidrRep(long id, DatagramAddress address) implements CmMessage {}

  /** Answers that the node has no such service. */
  record SidrRej(long id, RejectReason reason) implements CmMessage {}
}
