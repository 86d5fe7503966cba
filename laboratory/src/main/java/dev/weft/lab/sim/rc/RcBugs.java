package dev.weft.lab.sim.rc;

import dev.weft.lab.kit.PlantedBug;
import java.util.List;

/** Bugs of the transport that its simulation must find. */
final class RcBugs {
  static final List<PlantedBug> ALL = List.of(
      new PlantedBug("dev.weft.hca.transport.RcResponder onRequest diff acceptGap", "a gap is accepted", 10),
      new PlantedBug("dev.weft.hca.transport.RcResponder onRequest diff acceptTwice", "a packet is accepted twice", 10),
      new PlantedBug("dev.weft.hca.transport.RcResponder onDuplicate repeatAtomic executeAtomicAgain", "a repeated atomic is executed again", 30),
      new PlantedBug("dev.weft.hca.transport.RcResponder onRequest onDuplicate dropAckOfDuplicate", "a lost acknowledgement is never repeated", 30),
      new PlantedBug("dev.weft.hca.transport.RcResponder onRequest onDuplicate placeDuplicate", "a repeated write is placed again", 60),
      new PlantedBug("dev.weft.hca.transport.RcMessages onSend place placeOneByteEarly", "a packet is placed one byte early", 10),
      new PlantedBug("dev.weft.hca.transport.RcTransmission mayStart has ignoreFence", "the fence is ignored", 60),
      new PlantedBug("dev.weft.hca.transport.RcRequester release complete freeWhenAcknowledged",
          "a slot comes back before its completion is polled", 10),
      new PlantedBug("dev.weft.hca.transport.QueueCompletions completeSend push loseCompletion", "a completion is lost", 10),
      new PlantedBug("dev.weft.hca.transport.QueueCompletions completeReceive push completeTwice", "a completion comes twice", 10),
      new PlantedBug("dev.weft.hca.device.PacketEngine onPacket returnCredit leakCredit", "a buffer is not given back", 10),
      new PlantedBug("dev.weft.hca.transport.RcRequester onDeadline resumeAfterRnr forgetToResume", "the wait for a receive never ends", 30),
      new PlantedBug("dev.weft.hca.transport.RcRequester retry goBack goBackTooLittle", "the lost packet is not sent again", 10),
      new PlantedBug("dev.weft.hca.transport.RcRequester acknowledge hasResponse takeAckForAnswer", "an acknowledgement completes a read", 30),
      new PlantedBug("dev.weft.hca.transport.RcMessages completeReceive immediate cutImmediate", "a bit of the immediate value is lost", 10),
      new PlantedBug("dev.weft.hca.transport.UcResponder onRequest dropMessage keepBrokenMessage", "a message of UC goes on behind a gap", 100),
      new PlantedBug("dev.weft.hca.transport.UdResponder onRequest done keepReceive", "a datagram leaves its receive for the next one", 30),
      new PlantedBug("dev.weft.hca.device.PacketEngine deliverToGroup accepts forgetMember", "a member of a group is left out", 60),
      new PlantedBug("dev.weft.hca.transport.Srq$Tap take exchange loseReceive", "a receive of a shared queue is lost", 30),
      new PlantedBug("dev.weft.hca.transport.Srq$Tap take fireLimit forgetLimit", "a shared queue's limit event does not come", 30),
      new PlantedBug("dev.weft.hca.memory.MemoryWindows invalidate unbind keepBinding", "LOCAL_INV leaves the window bound", 30),
      new PlantedBug("dev.weft.hca.memory.MemoryWindows invalidateByPeer unbind keepBinding", "SEND_WITH_INV leaves the window bound", 30),
      new PlantedBug("dev.weft.hca.memory.MemoryWindows bind unbind keepBinding",
          "binding a window of type 1 again leaves its former key good", 60),
      new PlantedBug("dev.weft.hca.transport.RcPlacement atomicWrite placeWord tearWord", "an atomic write is torn", 30),
      new PlantedBug("dev.weft.hca.transport.RcResponder onRequest onDuplicate writeWordAgain", "a repeated atomic write is executed again", 100),
      new PlantedBug("dev.weft.hca.transport.RcOperations onPlacement execute answerFlush", "a FLUSH is answered without being executed", 30),
      new PlantedBug("dev.weft.hca.transport.RcResponder onRequest onDuplicate forgetFlush", "the lost answer to a FLUSH is never repeated", 100),
      new PlantedBug("dev.weft.hca.transport.RcRequester release sendCompleted forgetToCount", "a counter misses a completion", 30),
      new PlantedBug("dev.weft.hca.transport.RcMessages onWrite completed countTwice", "a counter counts a peer's write twice", 30),
      new PlantedBug("dev.weft.hca.transport.RcOperations execute completed countTwice", "a counter counts a peer's atomic twice", 60),
      new PlantedBug("dev.weft.hca.memory.MemoryVerbs lambda$reregister$* remove keepFormerKey",
          "the key before a re-registration stays good", 30));

  private RcBugs() {}
}
