package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.home.HomeState;
import dev.weft.dsm.node.ProtocolModel.Item;
import dev.weft.dsm.node.ProtocolModel.Sent;
import dev.weft.dsm.wire.DsmMessage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The search finds what can go wrong when homes move; one bug at a time is planted between the real cores and their model. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("memory of a search")
@Timeout(600)
class MovingHomesPlantedBugsTest {
  private static final int STATES_MAX = 1_000_000;
  private static final int WALKS = 30_000;

  private static void shouldFind(String problem, String program, int crashes, Supplier<Plant> plants) {
    Scenario scenario = new Scenario(Program.of(program), false, crashes, true);
    String found = assertThrows(Search.Found.class, new Search(scenario, plants, STATES_MAX)::run).getMessage();
    assertTrue(found.lines().findFirst().orElseThrow().contains(problem), found);
  }

  /** Does something with messages when they are sent. */
  private abstract static class OnSend extends Plant {
    /** Whether the message goes on its way. */
    abstract boolean isSent(ProtocolModel model, int from, int to, DsmMessage message);

    @Override
    void post(ProtocolModel model, int from, int to, Item item) {
      if (!(item instanceof Sent(DsmMessage message)) || isSent(model, from, to, message)) {
        super.post(model, from, to, item);
      }
    }
  }

  @Test
  void shouldFindThatAnOldHomeForgetsWhatWaits() {
    shouldFind("stuck", "W0|W0|R0", 0, () -> new OnSend() {
      @Override
      boolean isSent(ProtocolModel model, int from, int to, DsmMessage message) {
        return !(message instanceof DsmMessage.Sought sought) || !sought.isKnown();
      }
    });
  }

  @Test
  void shouldFindThatAHomeIsLostOnItsWay() {
    shouldFind("go round", "|W0|R0", 0, () -> new OnSend() {
      @Override
      boolean isSent(ProtocolModel model, int from, int to, DsmMessage message) {
        return !(message instanceof DsmMessage.HomeMoves);
      }
    });
  }

  @Test
  void shouldFindThatAnOldHomeServesStill() {
    shouldFind("has 2 homes", "|W0|R0", 0, () -> new OnSend() {
      @Override
      boolean isSent(ProtocolModel model, int from, int to, DsmMessage message) {
        if (message instanceof DsmMessage.HomeMoves move) {
          HomeState.receive(model.home(from), move);
        }
        return true;
      }
    });
  }

  /** It says so with a younger number than that of the one that it has given its place to. */
  @Test
  void shouldFindThatAnOldHomeSaysThatItIsTheHome() {
    shouldFind("go round", "|W0|W0", 0, () -> new OnSend() {
      @Override
      boolean isSent(ProtocolModel model, int from, int to, DsmMessage message) {
        if (message instanceof DsmMessage.HomeMoves move) {
          model.channel(from, to).add(new Sent(new DsmMessage.HomeIs(move.minipage(), move.op() + 7)));
        }
        return true;
      }
    });
  }

  /** The anchor does not hear of a copy when homes have moved back. */
  @Test
  void shouldFindThatCopiesAreForgotten() {
    shouldFind("is lost, which others have", "|R0|R0", 1, () -> new OnSend() {
      @Override
      boolean isSent(ProtocolModel model, int from, int to, DsmMessage message) {
        return !(message instanceof DsmMessage.Holds);
      }
    });
  }

  /** Their numbers are higher than those of homes after the loss, so they would pass for the youngest. It takes four nodes, too many for a search. */
  @Test
  void shouldFindThatHintsOfBeforeALossAreTaken() {
    Scenario scenario = new Scenario(Program.of("|W0|R0 W0|W0"), false, 1, true);
    Supplier<Plant> plants = () -> new Plant() {
      @Override
      boolean learnsFromTheUnaware() {
        return true;
      }
    };
    String found = assertThrows(Search.Found.class, () -> new Walks(scenario, plants).run(WALKS)).getMessage();
    assertTrue(found.contains("go round"), found);
    new Walks(scenario, () -> Plant.NONE).run(WALKS);
  }

  /** A home that has heard of a loss takes an order or request of one that has not, and knows the homes as they were. */
  @Test
  void shouldFindThatWhatWasSaidBeforeALossCounts() {
    shouldFind("has 2 homes", "|W0|R0", 4, () -> new Plant() {
      @Override
      boolean heedsTheUnaware() {
        return true;
      }
    });
  }
}
