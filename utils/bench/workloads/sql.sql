-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
--
-- For sqlite3 :memory:, which allocates for each row and statement.

create table t(a integer primary key, b text, c real);

with recursive n(i) as (select 1 union all select i + 1 from n where i < 400000)
insert into t
select i, 'row-' || (i * 7919 % 100003) || '-' || hex(i), i * 0.5 from n;

create index tb on t(b);

select count(*), sum(length(b)) from t where b like 'row-1%';

select substr(b, 1, 6) k, count(*), group_concat(a)
from t group by k order by 2 desc limit 5;
