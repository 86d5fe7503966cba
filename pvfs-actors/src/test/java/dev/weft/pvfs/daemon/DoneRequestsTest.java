package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class DoneRequestsTest {
  @Test
  void shouldKnowWhatWasDoneUntilTwiceTheCreditsHaveBeenDoneAfterIt() {
    DoneRequests done = new DoneRequests(4);
    for (int round = 0; round < 100; round++) {
      for (long id = round * 8L; id < round * 8L + 8; id++) {
        assertEquals(DoneRequests.State.NEW, done.begin(id));
        assertEquals(DoneRequests.State.UNDER_WAY, done.begin(id));
        done.end(id, true, new ArrayList<>());
      }
      for (long id = round * 8L; id < round * 8L + 8; id++) {
        assertEquals(DoneRequests.State.DONE, done.begin(id));
      }
    }
    assertEquals(DoneRequests.State.NEW, done.begin(791), "of the round before the last");
  }

  @Test
  void shouldDoAgainWhatFailed() {
    DoneRequests done = new DoneRequests(1);
    done.begin(5);
    done.end(5, false, new ArrayList<>());
    assertEquals(DoneRequests.State.NEW, done.begin(5));
  }

  @Test
  void shouldRememberAClientForAWhileAfterItsLastConnection() {
    ClientBook book = new ClientBook(2, 10, 100);
    DoneRequests one = book.connected(77, 0);
    assertSame(one, book.connected(77, 1), "a second connection of the same");
    book.disconnected(77, one, 2);
    book.disconnected(77, one, 3);
    assertSame(one, book.connected(77, 103));
    book.disconnected(77, one, 103);
    assertNotSame(one, book.connected(77, 500), "it was away too long");
  }

  @Test
  void shouldNotRememberMoreClientsThanItMay() {
    ClientBook book = new ClientBook(2, 3, Long.MAX_VALUE);
    for (int client = 0; client < 100; client++) {
      book.disconnected(client, book.connected(client, client), client);
      assertTrue(book.clients() <= 4, () -> book.clients() + " clients");
    }
  }

  /** What it has lost with its connection comes again at once, and would be done twice. */
  @Test
  void shouldForgetLastWhoHasLeftLast() {
    ClientBook book = new ClientBook(2, 3, Long.MAX_VALUE);
    DoneRequests stays = book.connected(1, 0);
    for (long other = 2; other <= 4; other++) {
      book.disconnected(other, book.connected(other, other), other);
    }
    book.connected(5, 5);
    book.disconnected(1, stays, 6); // One of them has to go.
    assertSame(stays, book.connected(1, 7));
  }

  @Test
  void shouldForgetTheOldestRemovalsOnly() {
    ClientBook.Removed removed = new ClientBook.Removed();
    for (long object = 0; object < ClientBook.REMOVED_MAX + 10; object++) {
      removed.add(object);
      removed.add(object);
    }
    assertFalse(removed.contains(9));
    assertTrue(removed.contains(10));
    assertTrue(removed.contains(ClientBook.REMOVED_MAX + 9));
  }
}
