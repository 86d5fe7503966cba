package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.cluster.ControlMessage;
import dev.weft.hca.verbs.QpType;

/** What connection managers say to each other (specification volume 1, chapter 12: REQ, REP, REJ, RTU, DREQ, SIDR). */
sealed interface CmMessage extends HardwareMessage, ControlMessage {
  /** What one side's queue pair is like. */
  record Endpoint(int lid, int qpNum, QpType type, int psn, int pathMtu, int rdAtomic) {}

  /** Request for communication. {@code id} is the active side's; answers go to {@code from}. */
  record Req(long id, String node, ActorRef<HardwareMessage> from, String service, Endpoint endpoint, byte[] privateData)
      implements CmMessage {}

  /** Accepted. */
  record Rep(long id, long peerId, Endpoint endpoint, byte[] privateData) implements CmMessage {}

  /** Refused. */
  record Rej(long id, RejectReason reason, byte[] privateData) implements CmMessage {}

  /** The active side is ready too. */
  record Rtu(long id, byte[] privateData) implements CmMessage {}

  /** Good-bye, also in answer to something that is not known any more. */
  record Dreq(long id) implements CmMessage {}

  /** Where is a datagram service? {@code id} is the asker's; the answer goes to {@code from}. */
  record SidrReq(long id, ActorRef<HardwareMessage> from, String service) implements CmMessage {}

  /** There. */
  record SidrRep(long id, DatagramAddress address) implements CmMessage {}

  /** Nowhere. */
  record SidrRej(long id, RejectReason reason) implements CmMessage {}
}
