package dev.weft.lab.sim.pager;

import dev.weft.lab.kit.PlantedBug;
import java.util.List;

/** Bugs of HCA and pager that the simulation of a cluster must find. */
final class PagerBugs {
  static final List<PlantedBug> ALL = List.of(
      new PlantedBug("dev.weft.pager.server.ServerCore advance transfer answerEarly + "
          + "dev.weft.pager.server.ServerCore onReadCompleted enqueue releaseOnly",
          "a write is answered before its RDMA Read is complete", 20),
      new PlantedBug("dev.weft.pager.server.ServerCore transfer prepareRead showOldData", "old data shows through", 20),
      new PlantedBug("dev.weft.pager.server.ServerCore beginInline prepareWrite showOldData",
          "what surrounds data that came with its request is not zeroed", 20),
      new PlantedBug("dev.weft.pager.server.ServerCore onCompleted add returnTwice", "a staging buffer is returned twice", 20),
      new PlantedBug("dev.weft.pager.server.MemoryServerActor end forget keepTransfers", "the transfers of a lost client stay booked", 20),
      new PlantedBug("dev.weft.pager.server.MemoryServerActor free free keepArea", "a lost client keeps its area", 20),
      new PlantedBug("dev.weft.pager.server.ServerCore answer release leakRequest", "the server loses a request slot", 20),
      new PlantedBug("dev.weft.pager.server.ServerCore fillExtents runAt lengthenHole", "a hole is reported too long", 20),
      new PlantedBug("dev.weft.pager.client.ClientCore sendFirst start offByOneSector", "areas are off by one sector", 20),
      new PlantedBug("dev.weft.pager.client.ClientCore takeBack takeBack leakCredit", "a credit is lost when a server dies", 60),
      new PlantedBug("dev.weft.pager.client.ClientCore failAll ended swallowError", "the error of a dead server is swallowed", 20),
      new PlantedBug("dev.weft.hca.link.Connector lose drop keepConnection",
          "a server that was given up stays connected", 60),
      new PlantedBug("dev.weft.pager.server.MemoryServerActor onResume refuse serveAnyway",
          "a new incarnation is served as if it were the old one", 60),
      new PlantedBug("dev.weft.pager.client.ClientCore ended partDone completeAtFirstPart", "a request is over with its first part", 20),
      new PlantedBug("dev.weft.pager.client.ClientCore onMessage pump forgetWaiting", "a request waits for a credit for ever", 20),
      new PlantedBug("dev.weft.pager.client.PoolBuffer release free returnTwice", "a buffer is returned twice", 20),
      new PlantedBug("dev.weft.pager.client.ClientCore onMessage take answerAnother", "an answer is taken for another request's", 20),
      new PlantedBug("dev.weft.pager.memory.SparseMap trim punch punchOneMore", "a trim takes one block too many", 20),
      new PlantedBug("dev.weft.pager.memory.SparseMap zeroAndAllocate zero zeroOneSectorLess", "zeroing leaves out a sector", 20),
      new PlantedBug("dev.weft.pager.memory.SparseMap allocate clean keepSurroundings", "what surrounds new data is not zeroed", 20),
      new PlantedBug("dev.weft.hca.transport.RcResponder onRequest diff acceptGap", "a packet is taken for the one before it", 20),
      new PlantedBug("dev.weft.hca.transport.QueueCompletions completeReceive push loseCompletion", "a completion is lost", 20),
      new PlantedBug("dev.weft.hca.transport.QueueCompletions completeReceive push completeTwice", "a completion comes twice", 20),
      new PlantedBug("dev.weft.hca.device.PacketEngine onPacket returnCredit leakCredit", "a link credit is lost", 20));

  private PagerBugs() {}
}
