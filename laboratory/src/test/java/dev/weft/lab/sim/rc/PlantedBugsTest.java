package dev.weft.lab.sim.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.lab.kit.Mutant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The search finds bugs: each is planted in a copy of the transport, and must show within so many seeds. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class PlantedBugsTest {
  private static Mutant mutant(String target, String method, String callee, String bug) {
    return new Mutant(MutantRun.class, List.of("dev.weft.hca.", "dev.weft.lab."), String.join(" ", "hca." + target, method, callee, bug));
  }

  @ParameterizedTest(name = "{4} within {5} seeds")
  @CsvSource({
    "transport.RcResponder, onRequest, diff, acceptGap, a gap is accepted, 10",
    "transport.RcResponder, onRequest, diff, acceptTwice, a packet is accepted twice, 10",
    "transport.RcResponder, onDuplicate, repeatAtomic, executeAtomicAgain, a repeated atomic is executed again, 30",
    "transport.RcResponder, onRequest, onDuplicate, dropAckOfDuplicate, a lost acknowledgement is never repeated, 30",
    "transport.RcResponder, onRequest, onDuplicate, placeDuplicate, a repeated write is placed again, 60",
    "transport.RcMessages, onSend, place, placeOneByteEarly, a packet is placed one byte early, 10",
    "transport.RcRequester, mayStart, has, ignoreFence, the fence is ignored, 60",
    "transport.RcRequester, release, complete, freeWhenAcknowledged, a slot comes back before its completion is polled, 10",
    "transport.QueueCompletions, completeSend, push, loseCompletion, a completion is lost, 10",
    "transport.QueueCompletions, completeReceive, push, completeTwice, a completion comes twice, 10",
    "device.HcaCore, onPacket, returnCredit, leakCredit, a buffer is not given back, 10",
    "transport.RcRequester, onDeadline, resumeAfterRnr, forgetToResume, the wait for a receive never ends, 30",
    "transport.RcRequester, retry, goBack, goBackTooLittle, the lost packet is not sent again, 10",
    "transport.RcRequester, acknowledge, hasResponse, takeAckForAnswer, an acknowledgement completes a read, 30",
    "transport.RcMessages, completeReceive, immediate, cutImmediate, a bit of the immediate value is lost, 10",
    "transport.UcResponder, onRequest, dropMessage, keepBrokenMessage, a message of UC goes on behind a gap, 100",
    "transport.UdResponder, onRequest, done, keepReceive, a datagram leaves its receive for the next one, 30",
    "device.HcaCore, deliverToGroup, accepts, forgetMember, a member of a group is left out, 60",
    "transport.Srq$Tap, take, exchange, loseReceive, a receive of a shared queue is lost, 30",
    "transport.Srq$Tap, take, fireLimit, forgetLimit, a shared queue's limit event does not come, 30",
    "memory.MemoryWindows, invalidate, unbind, keepBinding, LOCAL_INV leaves the window bound, 30",
    "memory.MemoryWindows, invalidateByPeer, unbind, keepBinding, SEND_WITH_INV leaves the window bound, 30",
    "memory.MemoryWindows, bind, unbind, keepBinding, binding a window of type 1 again leaves its former key good, 60",
    "transport.RcPlacement, atomicWrite, placeWord, tearWord, an atomic write is torn, 30",
    "transport.RcResponder, onRequest, onDuplicate, writeWordAgain, a repeated atomic write is executed again, 100",
    "transport.RcOperations, onPlacement, execute, answerFlush, a FLUSH is answered without being executed, 30",
    "transport.RcResponder, onRequest, onDuplicate, forgetFlush, the lost answer to a FLUSH is never repeated, 100",
    "transport.RcRequester, release, sendCompleted, forgetToCount, a counter misses a completion, 30",
    "transport.RcMessages, onWrite, completed, countTwice, a counter counts a peer's write twice, 30",
    "transport.RcOperations, execute, completed, countTwice, a counter counts a peer's atomic twice, 60",
    "memory.MemoryVerbs, lambda$reregister$*, remove, keepFormerKey, the key before a re-registration stays good, 30"
  })
  void shouldFindAPlantedBug(String target, String method, String callee, String bug, String what, int seedsMax) {
    String found = mutant(target, method, callee, bug).find(seedsMax);
    assertNotNull(found, "not found in seeds 1.." + seedsMax + ": " + what);
    System.out.println("found: " + what + ": " + found);
  }

  @Test
  void shouldFindNothingInAnUnchangedCopy() {
    // Replaces a call by one that does the same, so that the copy is loaded and changed like the others.
    LongFunction<List<String>> simulation = mutant("transport.RcResponder", "onRequest", "diff", "keepDiff").simulation();
    for (long seed = 1; seed <= 10; seed++) {
      assertEquals(List.of(), simulation.apply(seed), "seed " + seed);
    }
  }

  @Test
  void shouldSayWhereABugCannotBePlantedAnyMore() {
    Mutant mutant = mutant("transport.RcResponder", "onRequest", "noSuchCall", "acceptGap");
    assertThrows(IllegalStateException.class, mutant::simulation);
  }
}
