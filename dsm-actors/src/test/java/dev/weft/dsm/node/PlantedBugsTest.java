package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.access.Rights;
import dev.weft.dsm.node.ProtocolModel.Item;
import dev.weft.dsm.node.ProtocolModel.Sent;
import dev.weft.dsm.node.ProtocolModel.Written;
import dev.weft.dsm.wire.DsmMessage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The search finds what it is for: bugs are planted between the real cores and their model, one at a time, and each is found. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("memory of a search")
@Timeout(600)
class PlantedBugsTest {
  private static final int STATES_MAX = 1_000_000;
  private static final String TWO_RIGHTS = "of them writable";
  private static final String DIFFERENT = "copies of word";
  private static final String STUCK = "stuck";
  private static final String UNEXPLAINED = "no order of what was done explains";

  /** @param problem what is found, told by how it begins or what it has in it */
  private static void shouldFind(String problem, String program, boolean readsByRdma, Supplier<Plant> plants) {
    shouldFind(problem, new Scenario(Program.of(program), readsByRdma, 0), plants);
  }

  private static void shouldFind(String problem, Scenario scenario, Supplier<Plant> plants) {
    String found = assertThrows(Search.Found.class, new Search(scenario, plants, STATES_MAX)::run).getMessage();
    assertTrue(found.lines().findFirst().orElseThrow().contains(problem), found);
    new Search(scenario, () -> Plant.NONE, STATES_MAX).run(); // Without it, nothing is found.
  }

  private static <M extends DsmMessage> M message(Item item, Class<M> type) {
    return item instanceof Sent(DsmMessage message) && type.isInstance(message) ? type.cast(message) : null;
  }

  /** Does something with one kind of message when it is sent. */
  private abstract static class OnSend<M extends DsmMessage> extends Plant {
    private final Class<M> type;

    OnSend(Class<M> type) {
      this.type = type;
    }

    abstract void instead(ProtocolModel model, int from, int to, M message);

    @Override
    void post(ProtocolModel model, int from, int to, Item item) {
      M message = message(item, type);
      if (message == null) {
        super.post(model, from, to, item);
      } else {
        instead(model, from, to, message);
      }
    }

    static void send(ProtocolModel model, int from, int to, DsmMessage message) {
      model.channel(from, to).add(new Sent(message));
    }
  }

  @Test
  void shouldFindThatACopyIsNotInvalidated() {
    shouldFind(TWO_RIGHTS, "R0|W0|R0", false, () -> new OnSend<>(DsmMessage.Invalidate.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Invalidate order) {
        send(model, to, from, new DsmMessage.Invalidated(order.minipage(), order.op()));
      }
    });
  }

  @Test
  void shouldFindThatACopyIsGivenUpAfterTheAnswer() {
    shouldFind(TWO_RIGHTS, "R0|W0|R0", false, () -> new OnSend<>(DsmMessage.Invalidate.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Invalidate order) {
        send(model, to, from, new DsmMessage.Invalidated(order.minipage(), order.op()));
        send(model, from, to, order);
      }
    });
  }

  @Test
  void shouldFindThatAnInvalidationIsLost() {
    shouldFind(STUCK, "R0|W0|R0", false, () -> new OnSend<>(DsmMessage.Invalidate.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Invalidate order) {
        // It is lost.
      }
    });
  }

  @Test
  void shouldFindThatAConfirmIsLost() {
    shouldFind(STUCK, "W0|R0", false, () -> new OnSend<>(DsmMessage.Confirm.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Confirm confirm) {
        // It is lost.
      }
    });
  }

  @Test
  void shouldFindThatDataComesBeforeWhatItTellsOf() {
    shouldFind(DIFFERENT, "W0 R0|R0", false, () -> new Plant() {
      @Override
      void post(ProtocolModel model, int from, int to, Item item) {
        if (message(item, DsmMessage.Data.class) != null && model.channel(from, to).peekLast() instanceof Written) {
          Item write = model.channel(from, to).removeLast();
          model.channel(from, to).add(item);
          model.channel(from, to).add(write);
        } else {
          super.post(model, from, to, item);
        }
      }
    });
  }

  @Test
  void shouldFindThatDataIsNotWritten() {
    shouldFind(DIFFERENT, "W0|R0", false, () -> new Plant() {
      @Override
      void post(ProtocolModel model, int from, int to, Item item) {
        if (!(item instanceof Written)) {
          super.post(model, from, to, item);
        }
      }
    });
  }

  @Test
  void shouldFindThatAnOwnerKeepsTheRightThatItHandsOn() {
    shouldFind(TWO_RIGHTS, "W0|W0 R0", false, () -> new Plant() {
      @Override
      boolean tryRevoke(ProtocolModel model, int node, int minipage, byte rights) {
        return true;
      }
    });
  }

  @Test
  void shouldFindThatAWriterIsNotWaitedFor() {
    shouldFind(DIFFERENT, "W0|R0", false, () -> new Plant() {
      @Override
      boolean tryRevoke(ProtocolModel model, int node, int minipage, byte rights) {
        super.tryRevoke(model, node, minipage, rights);
        return true;
      }
    });
  }

  @Test
  void shouldFindThatWriteIsGrantedBeforeAllCopiesAreGivenUp() {
    // The home takes the answer of the last node for that of all.
    shouldFind(TWO_RIGHTS, "W0|R0|R0", false, () -> new OnSend<>(DsmMessage.Invalidated.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Invalidated answer) {
        for (int other = 0; other < 3; other++) {
          send(model, other, to, answer);
        }
      }
    });
  }

  @Test
  void shouldFindThatTheNextRequestIsServedBeforeTheConfirm() {
    // Who sends the data says also that it has come.
    shouldFind(TWO_RIGHTS, "W0|W0|R0", false, () -> new OnSend<>(DsmMessage.Data.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Data data) {
        send(model, from, to, data);
        model.home(data.minipage()).onConfirm(data.minipage(), data.op(), to);
      }
    });
  }

  @Test
  void shouldFindThatAReadRightIsMoreThanThat() {
    shouldFind(TWO_RIGHTS, "W0|R0", false, () -> new OnSend<>(DsmMessage.Data.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Data data) {
        send(model, from, to, new DsmMessage.Data(data.minipage(), data.op(), true));
      }
    });
  }

  @Test
  void shouldFindThatDataComesTwice() {
    // The second one, which a busy network has kept back, is taken for an answer to what was asked since.
    shouldFind(TWO_RIGHTS, "W0 W0|W0|R0", false, () -> new OnSend<>(DsmMessage.Data.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Data data) {
        send(model, from, to, data);
        send(model, from, to, data);
      }
    });
  }

  @Test
  void shouldFindThatItIsConfirmedBeforeTheDataIsThere() {
    shouldFind(TWO_RIGHTS, "W0|W0|W0", false, () -> new OnSend<>(DsmMessage.Data.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Data data) {
        send(model, from, to, data);
        send(model, to, data.minipage(), new DsmMessage.Confirm(data.minipage(), data.op()));
      }
    });
  }

  @Test
  void shouldFindThatAThreadThatIsWokenDoesNotLookAgain() {
    shouldFind(UNEXPLAINED, "X0|X0", false, () -> new Plant() {
      @Override
      boolean looksAgain() {
        return false;
      }
    });
  }

  @Test
  void shouldFindThatAThreadIsWokenBeforeTheRightIsSet() {
    shouldFind(UNEXPLAINED, "X0|X0", false, () -> new Plant() {
      @Override
      boolean looksAgain() {
        return false;
      }

      @Override
      void deliver(ProtocolModel model, int from, int to, Item item) {
        DsmMessage.ForwardWrite order = message(item, DsmMessage.ForwardWrite.class);
        if (order != null) {
          model.wake(order.requester());
        }
        super.deliver(model, from, to, item);
      }
    });
  }

  @Test
  void shouldFindThatMemoryIsFetchedWhileItsOwnerMayWrite() {
    shouldFind(TWO_RIGHTS, "R0|W0", true, () -> new OnSend<>(DsmMessage.ForwardRead.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.ForwardRead order) {
        send(model, from, order.requester(), new DsmMessage.Fetch(order.minipage(), order.op(), to));
      }
    });
  }

  @Test
  void shouldFindThatWhatWasFetchedIsUsedBeforeItIsThere() {
    shouldFind(DIFFERENT, "R0 |W0|R0", true, () -> new OnSend<>(DsmMessage.Fetch.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Fetch order) {
        send(model, from, to, new DsmMessage.Grant(order.minipage(), order.op(), false));
      }
    });
  }

  @Test
  void shouldFindThatAReaderIsForgottenWhenAWriterIsLost() {
    // The home takes a copy for given up because it once asked for that.
    shouldFind(TWO_RIGHTS, new Scenario(Program.of("R0 W0|R0|W0"), false, 4), () -> new OnSend<>(DsmMessage.Invalidate.class) {
      private int told;

      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Invalidate order) {
        if (model.hasHeardOfCrash(from) && (told & 1 << to) != 0) {
          send(model, to, from, new DsmMessage.Invalidated(order.minipage(), order.op()));
        } else {
          send(model, from, to, order);
        }
        told |= 1 << to;
      }

      @Override
      void append(StringBuilder to) {
        to.append(told);
      }
    });
  }

  @Test
  void shouldFindThatAnOwnerIsTakenForAReaderWhenAReaderIsLost() {
    shouldFind(TWO_RIGHTS, new Scenario(Program.of("R0|W0|R0"), true, 4), () -> new OnSend<>(DsmMessage.ForwardRead.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.ForwardRead order) {
        boolean isForgotten = from != to && model.hasHeardOfCrash(from);
        send(model, from, isForgotten ? order.requester() : to,
            isForgotten ? new DsmMessage.Fetch(order.minipage(), order.op(), to) : order);
      }
    });
  }

  @Test
  void shouldFindThatAMinipageHasTwoOwnersAfterANodeWasLost() {
    // The home gives it to one more than it says.
    shouldFind(TWO_RIGHTS, new Scenario(Program.of("W0|R0|W0"), false, 4), () -> new OnSend<>(DsmMessage.Grant.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Grant grant) {
        for (int node = 0; node < (model.hasHeardOfCrash(from) ? 2 : 0); node++) {
          if (node != to) {
            send(model, from, node, grant);
          }
        }
        send(model, from, to, grant);
      }
    });
  }

  @Test
  void shouldFindThatAQuestionAfterALossIsNotAnswered() {
    shouldFind(STUCK, new Scenario(Program.of("R0|W0|R0"), false, 2), () -> new OnSend<>(DsmMessage.Ask.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Ask question) {
        // It is lost.
      }
    });
  }

  // Homes that take the place of a lost one.

  /** One message overtakes what was sent before it. */
  private static Plant overtaking(Class<? extends DsmMessage> type) {
    return new Plant() {
      @Override
      void post(ProtocolModel model, int from, int to, Item item) {
        if (message(item, type) == null) {
          super.post(model, from, to, item);
        } else {
          model.channel(from, to).addFirst(item);
        }
      }
    };
  }

  @Test
  void shouldFindThatANodeDoesNotSayWhatItHas() {
    shouldFind("is lost, which others have", new Scenario(Program.of("|R0|R0"), false, 1), () -> new OnSend<>(DsmMessage.Holds.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Holds held) {
        // It is lost.
      }
    });
  }

  @Test
  void shouldFindThatANodeSaysThatItKnowsBeforeWhatItHasSent() {
    shouldFind(TWO_RIGHTS, new Scenario(Program.of("|W0 W0|R0"), false, 1), () -> overtaking(DsmMessage.NodeGone.class));
  }

  @Test
  void shouldFindThatANodeSaysThatThatWasAllBeforeItWas() {
    shouldFind("is lost, which others have", new Scenario(Program.of("|R0|R0"), false, 1), () -> overtaking(DsmMessage.HoldsEnd.class));
  }

  @Test
  void shouldFindThatANodeDoesNotSayThatThatWasAll() {
    shouldFind(STUCK, new Scenario(Program.of("|R0|R0"), false, 1), () -> new OnSend<>(DsmMessage.HoldsEnd.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.HoldsEnd end) {
        // It is lost.
      }
    });
  }

  @Test
  void shouldFindThatAWriterIsTakenForAReader() {
    shouldFind(TWO_RIGHTS, new Scenario(Program.of("|R0|W0"), true, 1), () -> new OnSend<>(DsmMessage.Holds.class) {
      @Override
      void instead(ProtocolModel model, int from, int to, DsmMessage.Holds held) {
        send(model, from, to, new DsmMessage.Holds(held.first(), held.count(), Rights.READ));
      }
    });
  }
}
